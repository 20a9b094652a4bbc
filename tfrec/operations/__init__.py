"""One verb a module, each with its report."""
