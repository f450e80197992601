"""One small file a command; heavy parts are imported only when their command runs."""
