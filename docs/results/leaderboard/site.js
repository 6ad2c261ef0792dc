"use strict";
// What every page shares: tables that are sorted, the solve matrix, tabs, and downloads of tables and pictures.
const repairlab = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, values = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(values)) if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
    made.append(...children);
    return made;
  };
  const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

  // Tables that are sorted by a click on a head: by numbers where all cells are numbers.
  const valueOf = (cell) => {
    const text = cell.dataset.value ?? cell.textContent.trim().replace(/[%,$]/g, "").trim();
    const number = Number(text === "–" ? "-1" : text);
    return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  const sortable = (table) => {
    if (!table.tHead || table.dataset.ready) return;
    table.dataset.ready = "1";
    all("th", table.tHead).forEach((head, column) => {
      if ("fixed" in head.dataset) return;
      const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("th", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        [...body.rows]
          .map((row) => [valueOf(row.cells[column]), row])
          .sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]))
          .forEach(([, row]) => body.append(row));
      });
    });
  };

  // Downloads are made of what the page shows; a comment names the signature.
  const save = (name, type, text) => {
    const address = URL.createObjectURL(new Blob([text], { type }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  const said = (cell) => {
    if (cell.dataset.text !== undefined) return cell.dataset.text;
    const copy = cell.cloneNode(true);
    all("svg, .hidden", copy).forEach((part) => part.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  const read = (table) => {
    const columns = [...table.tHead.rows[0].cells].map(said);
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden && row.cells.length === columns.length);
    return { columns, rows: rows.map((row) => [...row.cells].map(said)) };
  };
  const field = (text) => (/[",\n]/.test(text) ? `"${String(text).replace(/"/g, '""')}"` : String(text));
  const tex = (text) => String(text).replace(/[\\{}$&#%_~^]/g, (sign) => ({ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" }[sign] ?? `\\${sign}`)).replace(/–/g, "--");
  const isNumber = (text) => /^[-+–−]?[$]?[\d.,]*( ?%)?$/.test(text);
  const forms = {
    CSV: ["csv", "text/csv", ({ columns, rows }) => [columns, ...rows].map((row) => row.map(field).join(",")).join("\n") + "\n"],
    JSON: ["json", "application/json", ({ columns, rows, signature }) => `${JSON.stringify({ signature, columns, rows }, null, 1)}\n`],
    LaTeX: ["tex", "text/x-tex", ({ columns, rows, signature }) => [
      ...(signature ? [`% ${signature}`] : []),
      `\\begin{tabular}{${columns.map((_, at) => (rows.every((row) => isNumber(row[at])) ? "r" : "l")).join("")}}`, "\\toprule",
      `${columns.map(tex).join(" & ")} \\\\`, "\\midrule", ...rows.map((row) => `${row.map(tex).join(" & ")} \\\\`), "\\bottomrule", "\\end{tabular}", ""].join("\n")],
  };
  const signatureOf = (part) => part.closest("[data-signature]")?.dataset.signature ?? "";
  const buttons = (name, what, entries) => make("p", { class: "downloads small soft" }, `${what} as `, ...entries.map(([form, act]) => {
    const button = make("button", { type: "button", "aria-label": `Download ${name} as ${form}` }, form);
    button.addEventListener("click", act);
    return button;
  }));
  const tableButtons = (name, rows, signature) => buttons(name, "Table", Object.entries(forms).map(([form, [ending, type, write]]) => [
    form, () => save(`${name}.${ending}`, type, write({ ...rows(), signature: signature() }))]));
  const downloads = () => {
    all("table[data-name]").forEach((table) => {
      if (table.dataset.download) return;
      table.dataset.download = "1";
      (table.closest(".scroll") ?? table).after(tableButtons(table.dataset.name, () => read(table), () => signatureOf(table)));
    });
    all("svg.chart").forEach((picture) => {
      if (picture.dataset.download) return;
      picture.dataset.download = "1";
      const name = picture.getAttribute("aria-label").replace(/\W+/g, "-").toLowerCase();
      const text = () => new XMLSerializer().serializeToString(picture).replace(">", `><!-- ${signatureOf(picture).replace(/--+/g, "-")} -->`);
      (picture.closest(".scroll") ?? picture).after(buttons(name, "Picture", [["SVG", () => save(`${name}.svg`, "image/svg+xml", text())]]));
    });
  };

  // The solve matrix: as many rows as fit on a page are drawn of one number per cell.
  const PAGE = 100;
  const decode = (number) => (number > 0 ? { verdict: (number % 100) - 1, plausible: Math.floor(number / 100) % 10000, first: Math.floor(number / 1e6) } : null);
  const option = (value, text) => make("option", { value }, text);
  const chooser = (label, options) => {
    const select = make("select", {}, ...options.map(([value, text]) => option(value, text)));
    return [make("label", {}, `${label} `, select), select];
  };
  const matrix = (place, data, changed = () => {}) => {
    const { systems, bugs, cells } = data;
    const rivals = systems.map((_, at) => at).filter((at) => !systems[at].oracle);
    const solved = (at, bug) => cells[at][bug] >= 1e6;
    const solvers = bugs.map((_, bug) => rivals.filter((at) => solved(at, bug)).length);
    const ran = bugs.map((_, bug) => systems.some((_, at) => cells[at][bug] >= 0));
    const named = systems.map((system, at) => [String(at), system.name]);
    const [byLabel, by] = chooser("Solved by", [["", "any or none"], ["some", "some system"], ["every", "every system"], ["none", "no system"], ["differ", "some, not every"], ...named]);
    const [notLabel, not] = chooser("and not by", [["", "–"], ["others", "any other"], ...named]);
    const [languageLabel, language] = chooser("Language", [["", "all"], ...data.languages.map((name, at) => [at, name])]);
    const [labelLabel, label] = chooser("Label", [["", "all"], ...data.labels.map((name, at) => [at, name]).sort((a, b) => (a[1] < b[1] ? -1 : 1))]);
    const [sortLabel, sort] = chooser("Sort by", [["order", "benchmark"], ["most", "most solvers"], ["few", "fewest solvers"], ["name", "name"], ["language", "language"]]);
    const text = make("input", { type: "search", autocomplete: "off" });
    const unrun = make("input", { type: "checkbox" });
    const controls = make("div", { class: "controls" }, byLabel, notLabel);
    if (data.languages.length > 1) controls.append(languageLabel);
    if (data.labels.length) controls.append(labelLabel);
    controls.append(sortLabel, make("label", {}, "Name contains ", text));
    const nUnrun = ran.filter((it) => !it).length;
    if (nUnrun) controls.append(make("label", { class: "tick" }, unrun, ` ${plural(nUnrun, "bug")} that no system was run on`));
    const count = make("span", { class: "soft", "aria-live": "polite" });
    const back = make("button", { type: "button" }, "Previous");
    const next = make("button", { type: "button" }, "Next");
    const table = make("table", { class: `matrix rows${systems.length > 6 ? " slanted" : ""}` });
    const scroll = make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Bugs and systems" }, table);
    let page = 0, chosen = [];
    const link = (address, ...content) => (address ? make("a", { href: address, class: "plain" }, ...content) : content[0]);
    const head = make("tr", {}, make("th", { scope: "col", class: "name" }, "Bug"), make("th", { scope: "col" }, "Solved by"), ...systems.map((system) =>
      make("th", { scope: "col" }, make("span", {}, make("span", { class: "dot", style: `background:var(--s${system.index})` }), link(system.link, system.name)))));
    const cell = (bug, at) => {
      const number = cells[at][bug], found = decode(number);
      if (!found) return make("td", {}, make("span", { class: "cell none" }, number ? "n/a" : "none"));
      const [verdict, code] = data.verdicts[found.verdict];
      const words = `${systems[at].name}: ${verdict}${found.first ? `, first at rank ${found.first}, ${found.plausible} plausible` : ""}`;
      const address = systems[at].cell.replace("%40rank%40", String(found.first || 1)).replace("%40bug%40", bugs[bug][1]);
      const shown = found.first ? `${code} #${found.first}` : code;
      return make("td", {}, address ? make("a", { class: `cell v-${verdict.toLowerCase()}`, href: address, title: words }, shown) : make("span", { class: `cell v-${verdict.toLowerCase()}`, title: words }, shown));
    };
    const row = (bug) => {
      const [id, key, title] = bugs[bug];
      const name = data.bug ? make("a", { href: data.bug.replace("%40bug%40", key) }, id) : id;
      return make("tr", {}, make("th", { scope: "row", class: "name" }, name, ...(title ? [" ", make("span", { class: "soft small" }, title)] : [])),
        make("td", {}, `${solvers[bug]} of ${rivals.filter((at) => cells[at][bug] >= 0).length}`), ...systems.map((_, at) => cell(bug, at)));
    };
    const draw = () => {
      const from = page * PAGE, shown = chosen.slice(from, from + PAGE);
      table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...shown.map(row)));
      count.textContent = chosen.length > PAGE ? `${from + 1}–${from + shown.length} of ${plural(chosen.length, "bug")}` : `${chosen.length} of ${plural(bugs.length, "bug")}`;
      back.hidden = next.hidden = chosen.length <= PAGE;
      back.disabled = page === 0;
      next.disabled = from + PAGE >= chosen.length;
    };
    const wants = {
      "": () => true, none: (bug) => !solvers[bug], some: (bug) => solvers[bug] > 0, every: (bug) => solvers[bug] === rivals.length,
      differ: (bug) => solvers[bug] > 0 && solvers[bug] < rivals.length,
    };
    const update = () => {
      const wanted = wants[by.value] ?? ((bug) => solved(Number(by.value), bug));
      const others = (bug) => rivals.some((at) => String(at) !== by.value && solved(at, bug));
      const unwanted = not.value === "" ? () => false : not.value === "others" ? others : (bug) => solved(Number(not.value), bug);
      const words = text.value.toLowerCase();
      chosen = bugs.map((_, bug) => bug).filter((bug) => (ran[bug] || unrun.checked) && wanted(bug) && !unwanted(bug)
        && (language.value === "" || bugs[bug][3] === Number(language.value)) && (label.value === "" || bugs[bug][4].includes(Number(label.value)))
        && `${bugs[bug][0]} ${bugs[bug][2]}`.toLowerCase().includes(words));
      const keys = { order: (bug) => bug, name: (bug) => bugs[bug][0], language: (bug) => bugs[bug][3], most: (bug) => -solvers[bug], few: (bug) => solvers[bug] };
      chosen.sort((a, b) => compare(keys[sort.value](a), keys[sort.value](b)) || a - b);
      page = 0;
      draw();
      changed(chosen);
    };
    [by, not, language, label, sort, text, unrun].forEach((input) => input.addEventListener("input", update));
    const turn = (step) => { page += step; draw(); scroll.scrollTop = 0; };
    back.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
    const rows = () => ({
      columns: ["bug", "title", "language", ...systems.map((system) => system.name)],
      rows: chosen.map((bug) => [bugs[bug][0], bugs[bug][2], data.languages[bugs[bug][3]], ...systems.map((_, at) => {
        const found = decode(cells[at][bug]);
        return found ? data.verdicts[found.verdict][0] : "";
      })]),
    });
    place.replaceChildren(controls, make("p", { class: "turning" }, count, " ", back, " ", next), scroll, tableButtons("matrix", rows, () => data.signature));
    update();
  };
  const matrices = () => all("[data-matrix]").forEach((place) => {
    const data = document.getElementById(place.dataset.matrix);
    if (!data || place.firstChild) return;
    const parsed = JSON.parse(data.textContent);
    matrix(place, parsed, (chosen) => { // entries of the same page go along
      const shown = new Set(chosen);
      parsed.bugs.forEach((bug, at) => { const entry = document.getElementById(bug[1]); if (entry) entry.hidden = !shown.has(at); });
    });
  });

  // Tabs are links to sections; one section shows at a time, and the address says which.
  const tabs = () => {
    const links = all("nav.tabs a");
    if (!links.length) return;
    const sections = links.map((link) => document.getElementById(link.hash.slice(1)));
    const chosen = Math.max(0, links.findIndex((link) => link.hash === location.hash));
    sections.forEach((section, at) => { section.hidden = at !== chosen; });
    links.forEach((link, at) => { if (at === chosen) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current"); });
  };
  window.addEventListener("hashchange", tabs);
  // Moments stand in the reader's own time.
  const times = () => all("time[datetime]").forEach((part) => {
    const moment = new Date(part.dateTime);
    if (part.title || Number.isNaN(moment.getTime())) return;
    part.title = part.dateTime;
    part.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  });
  const prepare = () => { times(); all("table.sortable").forEach(sortable); matrices(); downloads(); tabs(); };
  return { all, make, matrix, prepare, compare };
})();// A board of the site: rows are chosen at once; what concerns bugs waits for the data, which come when they are looked at.
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