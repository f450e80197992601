"""Sentences instead of images: the loss takes any embedding. Sentences of one subject become neighbours."""

import random

import torch

from supcon.evaluation import nearest_neighbour_accuracy
from supcon.losses import SupConLoss

CORPUS = {
    "weather": """the rain stopped before noon; snow fell on the hills all night; a warm wind blew from the south;
        clouds covered the sun this morning; the storm brought hail and thunder; fog lay over the river at dawn;
        tomorrow will be sunny and dry; a cold front brings rain tonight; the wind turned into a storm; frost covered
        the fields this morning""",
    "cooking": """chop the onions and fry them in oil; add salt and pepper to the soup; bake the bread for half an hour;
        stir the sauce until it is thick; boil the potatoes in salted water; mix flour, butter and sugar; let the dough
        rest in a bowl; fry the fish in butter; season the sauce with pepper; bake the potatoes with oil and salt""",
    "trains": """the train to the city leaves at nine; this platform is closed today; the express stops everywhere;
        passengers must show a ticket; the line was delayed by an hour; change at the next station for the airport; the
        night train has no dining car; a ticket for the express costs more; the platform of the night train changed;
        the train was delayed at the station""",
}
texts, labels = zip(
    *[(" ".join(text.split()), number) for number, name in enumerate(CORPUS) for text in CORPUS[name].split(";")],
    strict=True,
)


class SentenceEncoder(torch.nn.Module):
    """The mean of the embeddings of a sentence's words, and of their first letters, through one hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        names = sorted({part for text in texts for word in text.split() for part in (word, word[:3])})
        self.number = {name: place for place, name in enumerate(names)}
        self.bag = torch.nn.EmbeddingBag(len(names), 32)
        self.layers = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(32, 16))

    def forward(self, sentences: list[list[str]]) -> torch.Tensor:
        parts = [[part for word in words for part in (word, word[:3])] for words in sentences]
        flat = torch.tensor([self.number[name] for names in parts for name in names])
        starts = torch.tensor([0, *(len(names) for names in parts[:-1])]).cumsum(0)
        embedded: torch.Tensor = self.layers(self.bag(flat, starts))
        return embedded


def view(text: str) -> list[str]:
    """A view of a sentence: each word is left out with a probability of 0.2."""
    return [word for word in text.split() if random.random() > 0.2] or text.split()


random.seed(0)
torch.manual_seed(0)
test = [place for place in range(len(texts)) if place % 5 == 4]
train = [place for place in range(len(texts)) if place % 5 != 4]
encoder, contrastive = SentenceEncoder(), SupConLoss(temperature=0.2)
optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
label = torch.tensor(labels)


def accuracy() -> float:
    with torch.no_grad():
        embedded = encoder([text.split() for text in texts])
    return nearest_neighbour_accuracy(embedded[test], label[test], embedded[train], label[train], k=3)


print(f"before training: nearest sentences have the right subject in {100 * accuracy():.0f} %")
for _ in range(60):
    rows = encoder([view(texts[place]) for place in train for _ in range(2)])
    loss = contrastive(rows.unflatten(0, (len(train), 2)), label[train])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"after 60 steps: {100 * accuracy():.0f} %, loss {loss.item():.2f}")
