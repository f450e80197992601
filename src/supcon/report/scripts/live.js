/* The page of a run in training loads itself again, and stays where the reader is. */
const training = document.getElementById("in-training");
const stateKey = `supcon ${location.pathname}`;

const keepPlace = () => {
  const open = [...document.querySelectorAll("details")].map((details) => details.open);
  sessionStorage.setItem(stateKey, JSON.stringify({ top: scrollY, open }));
};
const takePlace = () => {
  const kept = JSON.parse(sessionStorage.getItem(stateKey) ?? "null");
  sessionStorage.removeItem(stateKey);
  if (!kept) return;
  document.querySelectorAll("details").forEach((details, place) => { if (kept.open[place]) details.open = true; });
  root.style.scrollBehavior = "auto";
  scrollTo(0, kept.top);
  root.style.scrollBehavior = "";
};
const reload = () => {
  keepPlace();
  location.reload();
};
const watchTraining = () => {
  takePlace();
  const every = 1000 * Number(training.dataset.every);
  const age = Date.now() - Date.parse(training.dataset.written);
  document.getElementById("silent").hidden = age < 5 * every + 60_000;
};
/* Called when the page is drawn: on a machine busy with the training that can take longer than the time between. */
const renewLater = () => {
  if (!training) return;
  setTimeout(() => {
    if (document.visibilityState === "visible") reload();
    else document.addEventListener("visibilitychange", reload, { once: true });
  }, 1000 * Number(training.dataset.every));
};
if (training) watchTraining();
else takePlace();
