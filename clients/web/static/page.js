"use strict";
// What the page does beyond htmx: times in the reader's own clock, and a word when the line is lost.
(function () {
  function local(root) {
    root.querySelectorAll("time[datetime]").forEach(function (time) {
      var when = new Date(time.getAttribute("datetime"));
      if (isNaN(when)) { return; }
      time.title = time.textContent;
      time.textContent = when.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
      time.removeAttribute("datetime");
    });
  }

  function line(isLost) {
    var said = document.getElementById("lost");
    if (said) { said.hidden = !isLost; }
  }

  document.addEventListener("DOMContentLoaded", function () { local(document); });
  document.addEventListener("htmx:load", function (event) { local(event.target); });
  document.addEventListener("htmx:sseMessage", function (event) { line(false); local(event.target); });
  document.addEventListener("htmx:sseOpen", function () { line(false); });
  document.addEventListener("htmx:sseError", function () { line(true); });
  document.addEventListener("htmx:sseClose", function (event) {
    if (event.detail && event.detail.type === "message") {
      line(false);
      var live = document.querySelector("[data-when-done]");
      if (live) { window.location.assign(live.getAttribute("data-when-done")); }
    }
  });
})();
