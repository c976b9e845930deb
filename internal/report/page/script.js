"use strict";
(() => {
  const filter = document.getElementById("filter");
  if (!filter) return;
  const changes = [...document.querySelectorAll(".change")];
  const toggles = [...document.querySelectorAll(".kind-toggle input")];
  const count = document.getElementById("count");
  const whole = count.textContent;
  const texts = new Map();
  const text = (change) => {
    if (!texts.has(change)) texts.set(change, change.textContent.toLowerCase());
    return texts.get(change);
  };
  const shown = () => changes.filter((change) => !change.hidden);

  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set(toggles.filter((toggle) => toggle.checked).map((toggle) => toggle.value));
    for (const change of changes) {
      change.hidden = !kinds.has(change.dataset.kind) || !words.every((word) => text(change).includes(word));
    }
    const left = shown().length;
    count.textContent = left === changes.length ? whole : `${left} of ${whole}`;
  };
  const setAll = (open) => { for (const change of shown()) change.open = open; };

  // move puts the focus on the head of the next object, or of the one before.
  const move = (step) => {
    const list = shown();
    const here = document.activeElement.closest(".change");
    const at = list.indexOf(here);
    let to = at < 0 ? (step > 0 ? 0 : list.length - 1) : at + step;
    // From inside of an object, back leads to its own head first.
    if (step < 0 && here && document.activeElement !== here.firstElementChild) to = at;
    const change = list[to];
    if (!change) return;
    change.firstElementChild.focus();
    change.scrollIntoView({ block: "nearest" });
  };

  filter.addEventListener("input", apply);
  for (const toggle of toggles) toggle.addEventListener("change", apply);
  document.getElementById("open").addEventListener("click", () => setAll(true));
  document.getElementById("close").addEventListener("click", () => setAll(false));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (filter.value || document.activeElement === filter)) {
      filter.value = "";
      apply();
      filter.blur();
      return;
    }
    if (document.activeElement === filter) {
      if (event.key !== "Enter" && event.key !== "ArrowDown") return;
      event.preventDefault();
      filter.blur();
      move(1);
      return;
    }
    const actions = {
      "/": () => { filter.focus(); filter.select(); },
      j: () => move(1),
      k: () => move(-1),
      e: () => setAll(true),
      c: () => setAll(false),
    };
    if (Object.hasOwn(actions, event.key)) {
      event.preventDefault();
      actions[event.key]();
    }
  });

  const follow = () => {
    const change = changes.find((one) => "#" + one.id === location.hash);
    if (change) change.open = true;
  };
  addEventListener("hashchange", follow);
  follow();
  // What needs this script is shown only where it runs.
  for (const part of document.querySelectorAll("[hidden]")) part.hidden = false;
  apply();
})();
