"use strict";
// What the page does beyond htmx: quotes in place, dropped documents, the reader's own clock.
(function () {
  // What Caveat itself says gives moments in UTC; quotes and texts of sources stay as they are.
  var own = ".facts:not(.known *), .note, .aside, .contradiction > p, .card > p, .card > ul, [role=status]";
  function local(root) {
    root.querySelectorAll(own).forEach(function (each) {
      var texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), text;
      while ((text = texts.nextNode())) {
        text.data = text.data.replace(/(\d+ [A-Z][a-z]+ \d{4}), (\d\d:\d\d UTC)/g, function (utc, day, time) {
          var when = new Date(day + " " + time);
          return isNaN(when) ? utc : when.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
        });
      }
    });
  }

  // A telephone folds what is long: the text stands there whole where no script folds it.
  var folds = window.matchMedia("(max-width: 44rem)").matches;

  function shorten(long) {
    var box = document.createElement("div"), mark;
    box.className = "short";
    box.append(...long.childNodes);
    long.append(box);
    mark = box.querySelector("mark, strong");
    if (mark) { box.scrollTop = mark.offsetTop; }
    if (box.scrollHeight <= box.clientHeight + 2) { unfold(box); return; }
    long.append(button("more", function () { unfold(box); }));
  }

  function unfold(box) {
    if (box.nextElementSibling) { box.nextElementSibling.remove(); }
    box.replaceWith(...box.childNodes);
  }

  function fold() {
    document.querySelectorAll("#sources > details").forEach(function (each) { each.open = !folds; });
    if (folds) { document.querySelectorAll(".quoted li, .case .passage").forEach(shorten); }
  }

  function tick() {
    document.querySelectorAll("[data-since]").forEach(function (each) {
      var spent = Math.max(0, Math.round((Date.now() - Date.parse(each.dataset.since)) / 1000));
      var hours = spent >= 3600 ? Math.floor(spent / 3600) + " h " : "", minutes = spent >= 60 ? Math.floor(spent / 60) % 60 + " min " : "";
      each.textContent = "for " + hours + minutes + spent % 60 + " s";
    });
  }
  setInterval(tick, 1000);

  function line(isLost) {
    var said = document.getElementById("lost");
    if (said) { said.hidden = !isLost; }
  }

  // A citation opens its quote in place; without this script the link leads to the source.
  var panel = null, cited = [], at = -1, asked = 0;

  function button(words, does) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", does);
    return made;
  }

  function close() {
    asked += 1;
    if (!panel) { return; }
    panel.remove();
    panel = null;
    if (cited[at]) { cited[at].focus(); }
  }

  function draw(link, source, passage) {
    var title = source.querySelector("h1"), made = document.createElement("div"), row = document.createElement("div");
    var name = title ? title.textContent : link.textContent, open = document.createElement("a"), head = document.createElement("strong"), translated = document.createElement("p");
    made.className = "quote";
    made.setAttribute("role", "dialog");
    made.setAttribute("aria-label", "Quote in its source");
    made.tabIndex = -1;
    head.textContent = "[" + link.textContent + "] " + name;
    open.className = "button";
    open.href = link.href;
    open.textContent = "Open page";
    row.className = "row";
    row.append(
      button("Previous", function () { show(at - 1); }),
      button("Next", function () { show(at + 1); }),
      open,
      button("Copy", function () {
        navigator.clipboard.writeText("“" + passage.querySelector("mark").textContent.trim() + "” (" + name + ", " + link.href + ")");
        this.textContent = "Copied";
      }),
      button("Close", close)
    );
    translated.className = "facts";
    translated.textContent = link.dataset.translation || "";
    passage.tabIndex = 0;
    made.append(head, passage, translated, row);
    if (panel) { panel.remove(); }
    panel = made;
    document.body.append(made);
    made.focus({ preventScroll: true });
    passage.scrollTop = passage.querySelector("mark").offsetTop - passage.offsetTop - 40; // with a line or two before it
  }

  function show(wanted) {
    if (!cited.length) { return; }
    at = (wanted + cited.length) % cited.length;
    var link = cited[at], mine = asked += 1;
    fetch(link.href).then(function (answer) { return answer.text(); }).then(function (text) {
      if (mine !== asked) { return; } // closed or gone on meanwhile
      var source = new DOMParser().parseFromString(text, "text/html"), passage = source.querySelector(".passage");
      if (!passage) { window.location.assign(link.href); return; }
      link.scrollIntoView({ block: "center" });
      draw(link, source, passage);
    }).catch(function () { window.location.assign(link.href); });
  }

  document.addEventListener("click", function (event) {
    var link = event.target.closest("[data-quotes] a.cite");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.pathname === window.location.pathname) { return; }
    event.preventDefault();
    cited = Array.from(document.querySelectorAll("[data-quotes] a.cite")).filter(function (each) { return each.pathname !== window.location.pathname; });
    show(cited.indexOf(link));
  });

  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { close(); } });

  document.addEventListener("submit", function (event) {
    var question = event.target.getAttribute("data-confirm");
    if (question && !window.confirm(question)) { event.preventDefault(); return; }
    if (question) { event.target.insertAdjacentHTML("beforeend", '<input type="hidden" name="sure" value="yes">'); } // else the server asks
  });

  // Documents may be dropped anywhere on the page that asks.
  function takesFiles(event) { return event.dataTransfer && Array.from(event.dataTransfer.types).includes("Files") && document.querySelector("input[type=file][name=documents]"); }
  document.addEventListener("dragover", function (event) { if (takesFiles(event)) { event.preventDefault(); document.body.classList.add("dropping"); } });
  document.addEventListener("dragleave", function (event) { if (!event.relatedTarget) { document.body.classList.remove("dropping"); } });
  document.addEventListener("drop", function (event) {
    var input = takesFiles(event);
    document.body.classList.remove("dropping");
    if (!input || event.target === input) { return; }
    event.preventDefault();
    var all = new DataTransfer();
    Array.from(input.files).concat(Array.from(event.dataTransfer.files)).forEach(function (file) { all.items.add(file); });
    input.files = all.files;
  });

  document.addEventListener("DOMContentLoaded", function () { local(document); fold(); });
  document.addEventListener("htmx:load", function (event) { local(event.target); });
  document.addEventListener("htmx:afterRequest", function (event) { var status = event.detail.xhr.status; line(status < 200 || status >= 400); });
  document.addEventListener("htmx:beforeSwap", function (event) {
    var target = event.detail.target, text = event.detail.serverResponse;
    if (target.shown === text) { event.detail.shouldSwap = false; } // what somebody reads or selects stays
    target.shown = text;
  });
})();
