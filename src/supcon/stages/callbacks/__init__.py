"""Lightning callbacks: progress, diagnostics, alarms, `metrics.csv`."""
