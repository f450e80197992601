"""`supcon serve`: a model behind HTTP, with a page to try it on."""
