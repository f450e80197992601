"""Find the most similar images: train on the built-in digits, embed, search."""

import numpy as np
from sklearn.datasets import load_digits

import supcon
from supcon.serving import most_similar_rows

images, labels = load_digits(return_X_y=True)
images = (images.reshape(-1, 8, 8) * 255 / 16).astype(np.uint8)
gallery, queries = images[:-5], images[-5:]

# A short run for the example; centred projections learn more in few steps.
options = {"encoder.width": 8, "projection.centre": True, "loss.temperature": 0.3, "stage2.epochs": 1}
run = supcon.train("digits", epochs=6, options=options, out="runs/search")
model = supcon.load(run.path)
found = most_similar_rows(model.embed(queries), model.embed(gallery), k=5)
for query, rows, similarities in zip(labels[-5:], found.rows, found.similarity, strict=True):
    answers = ", ".join(f"{labels[row]} ({value:.2f})" for row, value in zip(rows, similarities, strict=True))
    print(f"nearest to a {query}: {answers}")
