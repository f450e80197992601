"""The command line, one file per command; a command imports torch and other slow modules only when it runs."""
