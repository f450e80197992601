"""A classifier with scikit-learn's interface, and its representations in a pipeline."""

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from supcon import SupConClassifier

images, labels = load_digits(return_X_y=True)
train, test, train_labels, test_labels = train_test_split(images.reshape(-1, 8, 8) / 16, labels, random_state=0)

# A short run for the example: a narrow encoder and few epochs.
options = {"encoder.width": 8, "projection.centre": True, "loss.temperature": 0.3, "stage2.epochs": 10}
classifier = SupConClassifier(recipe="digits", epochs=6, options=options)
pipeline = make_pipeline(classifier, LogisticRegression(max_iter=1000))  # fits the classifier, then transforms
pipeline.fit(train, train_labels)
print(f"its own linear classifier: {100 * classifier.score(test, test_labels):.1f} %")
print(f"logistic regression on its representations: {100 * pipeline.score(test, test_labels):.1f} %")
