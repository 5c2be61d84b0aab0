"""What the machines that run checks read: JUnit, the summary and annotations of GitHub, code quality of GitLab, badges."""
