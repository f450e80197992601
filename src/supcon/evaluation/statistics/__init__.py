"""Intervals, paired tests, and summaries over seeds and settings."""
