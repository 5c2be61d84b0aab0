"""Records → bytes: pure functions, which `outputs` lists."""
