"""Plots as plain values for plotly.js."""
