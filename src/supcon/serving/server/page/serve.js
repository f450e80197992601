"use strict";

const find = (id) => document.getElementById(id);
const drop = find("drop");
const status = find("status");
const tokenForm = find("token-form");
const AT_ONCE = 8;
let largest = 32; // megabytes
let waiting = []; // files that were refused for want of a token

function say(text, wrong = false) {
  status.textContent = text;
  status.classList.toggle("wrong", wrong);
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function element(tag, text, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

async function showModel() {
  const health = await (await fetch("health")).json();
  largest = health.upload_megabytes;
  document.title = `supcon: ${health.model}`;
  find("model").textContent = health.model;
  const searched = health.gallery ? `, and ${health.gallery.toLocaleString("en")} training images to compare with` : "";
  find("about").textContent = `${health.classes.length} classes${searched}.`;
  find("command").textContent = `curl -F images=@photo.jpg ${location.origin}/predict`;
}

function probability(found) {
  const row = document.createElement("li");
  const track = element("span", "", "track");
  const bar = document.createElement("span");
  bar.style.width = percent(found.probability).replace(" ", "");
  track.append(bar);
  row.append(element("span", found.class), element("span", percent(found.probability)), track);
  return row;
}

function pixelated(event) {
  event.target.classList.toggle("small-picture", event.target.naturalWidth < 64);
}

function neighbour(found) {
  const row = document.createElement("li");
  row.title = found.path;
  const picture = document.createElement("img");
  picture.alt = `${found.label || "unlabelled"}, ${found.path}`;
  picture.addEventListener("load", pixelated);
  if (found.thumbnail) picture.src = found.thumbnail;
  const words = element("p", found.label || "unlabelled");
  words.append(document.createElement("br"), element("span", found.similarity.toFixed(3), "soft"));
  row.append(picture, words);
  return row;
}

function result(file, answer) {
  const row = find("result").content.cloneNode(true);
  const picture = row.querySelector(".query img");
  picture.addEventListener("load", pixelated);
  if (!answer.error) picture.src = URL.createObjectURL(file);
  picture.alt = file.name;
  row.querySelector(".name").textContent = file.name;
  const heading = row.querySelector("h2");
  if (answer.error) {
    row.firstElementChild.classList.add("unreadable");
    heading.textContent = "Cannot be read";
    heading.className = "wrong";
    heading.after(element("p", answer.error));
  } else {
    heading.textContent = answer.class || "none of the classes";
    row.querySelector(".probabilities").append(...answer.top.map(probability));
  }
  if (answer.neighbours) row.querySelector(".neighbours").append(...answer.neighbours.map(neighbour));
  else row.querySelector(".near").hidden = true;
  return row;
}

async function ask(files) {
  const form = new FormData();
  for (const file of files) form.append("images", file);
  const token = sessionStorage.getItem("token");
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch("search?k=6&thumbnails=true", { method: "POST", body: form, headers });
  const body = await response.json();
  if (response.status === 401) {
    waiting = files;
    tokenForm.hidden = false;
    find("token").focus();
  }
  if (!body.images) throw new Error(body.detail?.[0]?.msg || body.detail || `The server answered ${response.status}.`);
  return body.images;
}

// Files that fit into one request; a file that fits into none is a group of its own and gets the server's refusal.
function groups(files) {
  const made = [];
  let bytes = Infinity;
  for (const file of files) {
    bytes += file.size;
    if (bytes > 0.9e6 * largest || made.at(-1).length === AT_ONCE) {
      made.push([]);
      bytes = file.size;
    }
    made.at(-1).push(file);
  }
  return made;
}

async function answer(files) {
  if (!files.length) return;
  const started = performance.now();
  let [done, bad] = [0, 0];
  try {
    for (const group of groups(files)) {
      say(files.length === 1 ? `Reading ${files[0].name} …` : `Reading ${files.length} images, ${done} done …`);
      const answers = await ask(group);
      find("results").prepend(...answers.map((found, place) => result(group[place], found)));
      done += group.length;
      bad += answers.filter((found) => found.error).length;
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    const counted = files.length === 1 ? "1 image" : `${files.length} images`;
    say(`${counted} in ${seconds} s${bad ? `, ${bad} could not be read` : ""}.`, bad > 0);
  } catch (error) {
    say(error instanceof TypeError ? "The server cannot be reached, or closed the connection." : error.message, true);
  }
}

drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  answer([...event.dataTransfer.files]);
});
find("files").addEventListener("change", (event) => {
  answer([...event.target.files]);
  event.target.value = "";
});
document.addEventListener("paste", (event) => answer([...event.clipboardData.files]));
tokenForm.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", find("token").value);
  tokenForm.hidden = true;
  answer(waiting);
});
showModel().then(() => { document.documentElement.dataset.ready = ""; });
