"""Results → how their models differ, and how sure that is: users are paired here, and the arithmetic is that of `stats`."""
