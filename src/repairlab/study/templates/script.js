(() => {
  const { all, prepare } = repairlab;
  const bugs = all("details.bug");
  const open = (is) => bugs.forEach((bug) => { bug.open = is; });
  document.getElementById("open-all")?.addEventListener("click", () => open(true));
  document.getElementById("close-all")?.addEventListener("click", () => open(false));
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.matches("details")) { target.hidden = false; target.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => all("details").forEach((item) => { item.open = true; }));
  prepare();
  reveal();
})();
