"use strict";
(() => {
  const body = document.querySelector("#matrix tbody");
  const rows = body ? [...body.rows] : [];
  const value = (id) => document.getElementById(id).value;
  const count = document.getElementById("matrix-count");
  const nSystems = Number(document.body.dataset.systems);
  const keys = {
    order: (row) => [Number(row.dataset.order)],
    name: (row) => [row.dataset.name],
    language: (row) => [row.dataset.language, Number(row.dataset.order)],
    fixed: (row) => [-Number(row.dataset.fixed), Number(row.dataset.order)],
    unfixed: (row) => [Number(row.dataset.fixed), Number(row.dataset.order)],
  };
  const compare = (a, b) => {
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
  };
  const wanted = (row) => {
    const fixed = Number(row.dataset.fixed), kind = value("filter-fixed");
    return (!value("filter-language") || row.dataset.language === value("filter-language"))
      && (kind === "all" || (kind === "none" && fixed === 0) || (kind === "every" && fixed === nSystems)
        || (kind === "some" && fixed > 0 && fixed < nSystems) || kind === `only ${row.dataset.by}`)
      && row.dataset.name.toLowerCase().includes(value("filter-text").toLowerCase());
  };
  const update = () => {
    const key = keys[value("sort")];
    rows.sort((a, b) => compare(key(a), key(b))).forEach((row) => body.append(row));
    let shown = 0;
    for (const row of rows) {
      row.hidden = !wanted(row);
      const entry = document.getElementById(row.dataset.anchor); // on another page, where each run has its own
      if (entry) entry.hidden = row.hidden;
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${rows.length} bugs`;
  };
  for (const id of ["filter-language", "filter-fixed", "filter-text", "sort"]) {
    document.getElementById(id).addEventListener("input", update);
  }
  document.getElementById("controls").hidden = false;
  const bugs = [...document.querySelectorAll("details.bug")];
  const all = (open) => bugs.forEach((bug) => { bug.open = open; });
  document.getElementById("open-all")?.addEventListener("click", () => all(true));
  document.getElementById("close-all")?.addEventListener("click", () => all(false));
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.matches("details")) { target.hidden = false; target.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((item) => { item.open = true; }));
  update();
  reveal();
})();
