"""The command line: click, words, exit codes."""
