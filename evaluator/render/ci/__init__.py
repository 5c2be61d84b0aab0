"""Files for the machines that run checks: JUnit, the summary and annotations of GitHub, code quality of GitLab, badges."""
