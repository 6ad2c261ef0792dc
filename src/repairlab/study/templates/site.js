// A board of the site: rows are chosen at once; what concerns bugs waits for the data, which come when they are looked at.
(() => {
  const { all, make, matrix, prepare } = repairlab;
  const place = document.getElementById("choices"), table = document.getElementById("board");
  prepare();
  if (!place || !table) return;
  const rows = [...table.tBodies[0].rows];
  let data = null, waiting = [];
  repairlab.board = (loaded) => {
    data = loaded;
    matrix(document.getElementById("board-matrix"), data.matrix);
    offer();
    waiting.forEach((act) => act());
    waiting = [];
  };
  const load = () => { // a script, for pages from disk may fetch nothing
    if (!document.getElementById("board-data")) document.head.append(make("script", { id: "board-data", src: place.dataset.file }));
  };
  const chooser = (label, values) => {
    const select = make("select", {}, make("option", { value: "" }, "all"), ...values.map(([value, text]) => make("option", { value }, text)));
    place.append(make("label", {}, `${label} `, select));
    select.addEventListener("input", update);
    return select;
  };
  const kinds = (name) => [...new Set(rows.map((row) => row.dataset[name]).filter(Boolean))].sort().map((value) => [value, value]);
  const head = all("th", table.tHead)[4], column = 4;
  const own = rows.map((row) => [row.cells[column].textContent, row.cells[column].dataset.value]);
  const chosen = () => data.matrix.bugs.map((_, at) => at).filter((at) => (!language.value || data.matrix.bugs[at][3] === Number(language.value))
    && (!label.value || data.matrix.bugs[at][4].includes(Number(label.value))));
  function update() {
    const words = text.value.toLowerCase();
    for (const row of rows) {
      row.hidden = (kind.value && row.dataset.kind !== kind.value) || (access.value && row.dataset.open !== access.value)
        || (since.value && row.dataset.date.slice(0, 10) < since.value) || !row.textContent.toLowerCase().includes(words);
    }
    const narrowed = data && (language.value || label.value) ? chosen() : null;
    rows.forEach((row, number) => {
      const cell = row.cells[column], cells = narrowed && data.matrix.cells[Number(row.dataset.at)];
      const ran = narrowed && narrowed.filter((at) => cells[at] >= 0), fixed = narrowed && ran.filter((at) => cells[at] >= 1e6).length;
      cell.textContent = narrowed ? `${fixed} of ${ran.length}` : own[number][0];
      cell.dataset.value = narrowed ? fixed / Math.max(ran.length, 1) : own[number][1];
    });
    const systems = rows.filter((row) => !("oracle" in row.dataset)), shown = systems.filter((row) => !row.hidden).length;
    note.textContent = `${shown} of ${systems.length} systems${narrowed ? `; fixed bugs are those among ${narrowed.length} bugs, scores those over all` : ""}`;
    const order = narrowed ? (row) => -Number(row.cells[column].dataset.value) : (row) => Number(row.dataset.at);
    [...rows].sort((a, b) => order(a) - order(b)).forEach((row) => table.tBodies[0].append(row));
    head.classList.toggle("best", Boolean(narrowed));
  }
  place.className = "controls";
  const text = make("input", { type: "search", autocomplete: "off" });
  place.append(make("label", {}, "Search ", text));
  const kind = chooser("Kind", kinds("kind")), access = chooser("Access", kinds("open"));
  const since = make("input", { type: "date" });
  place.append(make("label", {}, "Since ", since));
  const language = chooser("Language", []), label = chooser("Label", []);
  const note = make("span", { class: "soft", "aria-live": "polite" });
  place.append(note);
  const offer = () => [[language, data.matrix.languages], [label, data.matrix.labels]].forEach(([select, names]) => {
    names.forEach((name, at) => select.append(make("option", { value: at }, name)));
    select.parentNode.hidden = names.length < 2;
  });
  [text, since].forEach((input) => input.addEventListener("input", update));
  [language, label].forEach((select) => { select.addEventListener("focus", load); select.addEventListener("pointerdown", load); });
  new IntersectionObserver((seen) => { if (seen.some((item) => item.isIntersecting)) load(); }, { rootMargin: "200px" }).observe(document.getElementById("board-matrix"));
  update();
})();
