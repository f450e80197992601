"""Running the paper's tables and figures: cells, the study that hands them out, and what is written."""
