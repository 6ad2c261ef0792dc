(() => {
  const { all } = repairlab;
  const one = (selector) => document.querySelector(selector);
  const store = { // a browser may forbid it
    get(key) { try { return localStorage.getItem(key); } catch { return null; } },
    set(key, value) { try { localStorage.setItem(key, value); } catch { /* not kept, then */ } },
  };

  const prepare = () => {
    repairlab.prepare();
    columns();
    all("[data-show]").forEach((box) => { // long code begins at the line that matters
      const line = document.getElementById(box.dataset.show);
      if (line && !location.hash) box.scrollTop = line.offsetTop - box.clientHeight / 3;
    });
    all("select[data-submit]").forEach((select) => { select.onchange = () => select.form.submit(); });
  };

  // Diffs in two columns, or in one where the screen is narrow or somebody wants it.
  const wanted = () => store.get("columns") ?? (window.innerWidth < 800 ? "one" : "two");
  const columns = () => {
    const isOne = wanted() === "one";
    all("#diffs, #fix").forEach((part) => part.classList.toggle("one-column", isOne));
    const button = one("#split-button");
    if (button) button.setAttribute("aria-pressed", String(!isOne));
  };
  const turn = () => { store.set("columns", wanted() === "one" ? "two" : "one"); columns(); };

  // Rows that are walked by keys.
  let at = -1;
  const walk = (step) => {
    const rows = all("table.rows tbody tr").filter((row) => !row.hidden);
    if (!rows.length) return;
    rows.forEach((row) => row.classList.remove("chosen"));
    at = Math.min(rows.length - 1, Math.max(0, at + step));
    rows[at].classList.add("chosen");
    rows[at].scrollIntoView({ block: "nearest" });
    const link = rows[at].querySelector("a");
    if (link) link.focus({ preventScroll: true });
  };
  const go = (relation) => { const link = one(`a[rel="${relation}"]`); if (link) link.click(); };
  const keys = {
    "/": () => one("#find")?.focus(),
    j: () => walk(1),
    k: () => walk(-1),
    n: () => go("next"),
    p: () => go("prev"),
    u: () => go("up"),
    s: turn,
    "?": () => one("#help").showModal(),
  };
  const tab = (key) => { // digits choose tabs
    const link = /^[1-9]$/.test(key) ? all("nav.tabs a")[Number(key) - 1] : null;
    if (link) link.click();
    return Boolean(link);
  };
  const press = (selector) => {
    const found = one(selector);
    if (found && found.matches("textarea")) found.focus();
    else if (found) found.click();
    return Boolean(found);
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches("input:not([type=radio]):not([type=checkbox]), textarea, select");
    if (typing) { if (event.key === "Escape") event.target.blur(); return; }
    if (press(`[data-key="${CSS.escape(event.key)}"]`)) { event.preventDefault(); return; }
    if (tab(event.key)) { event.preventDefault(); return; }
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  one("#help-button")?.addEventListener("click", keys["?"]);
  document.addEventListener("click", (event) => { if (event.target.closest("#split-button")) turn(); });

  // A change of an item that is being rated is sent at once; what could not be sent is kept here and sent again.
  const form = () => one("form[data-autosave]");
  let began = Date.now();
  let away = 0;
  let hiddenAt = null;
  document.addEventListener("visibilitychange", () => { // time away is no time spent on the item
    if (document.hidden) hiddenAt = Date.now();
    else if (hiddenAt !== null) { away += Date.now() - hiddenAt; hiddenAt = null; }
  });
  const say = (text) => { const place = one("#saved"); if (place) place.textContent = text; };
  let timer = null;
  let again = null;
  const draft = () => {
    const part = form();
    if (!part) return null;
    const seconds = part.elements.seconds;
    if (seconds) seconds.value = String(Number(part.dataset.seconds || 0) + Math.round((Date.now() - began - away) / 1000));
    return new URLSearchParams(new FormData(part)).toString();
  };
  const save = async () => {
    const part = form();
    if (!part) return true;
    const body = draft();
    store.set(`draft ${part.dataset.autosave}`, body);
    clearTimeout(again);
    try {
      const answer = await fetch(part.dataset.autosave, {
        method: "POST", body, headers: { "Content-Type": "application/x-www-form-urlencoded" },
      });
      if (!answer.ok) throw new Error(await answer.text());
      store.set(`draft ${part.dataset.autosave}`, "");
      say("Saved.");
      return true;
    } catch (error) {
      say(`Not saved yet, kept in this browser; trying again. (${error.message})`);
      again = setTimeout(save, 2000);
      return false;
    }
  };
  document.addEventListener("input", (event) => {
    if (event.target.name === "rule") event.target.closest("details")?.setAttribute("open", "");
    if (!event.target.closest("form[data-autosave]")) return;
    say("…");
    clearTimeout(timer);
    timer = setTimeout(save, event.target.matches("textarea, input[type=text]") ? 400 : 0);
  });
  document.addEventListener("submit", (event) => { // the time spent goes along
    if (event.target.matches("form[data-autosave]")) draft();
  });
  const restore = () => {
    const part = form();
    const kept = part && store.get(`draft ${part.dataset.autosave}`);
    if (!kept) return;
    for (const [name, value] of new URLSearchParams(kept)) {
      for (const field of all(`[name="${CSS.escape(name)}"]`, part)) {
        if (field.type === "radio" || field.type === "checkbox") field.checked = field.value === value || field.checked;
        else if (field.type !== "hidden") field.value = value;
      }
    }
    say("What this browser had kept was put back.");
    save();
  };

  // A filled sheet is sent as it is.
  document.addEventListener("submit", async (event) => {
    const part = event.target;
    if (!part.matches("form[data-upload]")) return;
    event.preventDefault();
    const file = part.elements.sheet.files[0];
    const place = one("#taken");
    if (!file) { place.textContent = "Choose a file first."; return; }
    const rater = part.elements.rater.value.trim();
    const name = rater ? `rater/${encodeURIComponent(rater)}.csv` : "disagreements.csv";
    const answer = await fetch(`/annotation/${encodeURIComponent(part.elements.slug.value)}/${name}`, { method: "PUT", body: file });
    const text = await answer.text();
    place.textContent = answer.ok ? text : new DOMParser().parseFromString(text, "text/html").querySelector(".note")?.textContent ?? text;
  });

  document.addEventListener("htmx:afterSwap", prepare);
  prepare();
  restore();
})();
