// New links as a file: they are on this page only, so the browser makes the file itself.
import { tell } from "./app.js";

for (const button of document.querySelectorAll("[data-download]")) {
  button.addEventListener("click", () => {
    const text = document.querySelector(button.dataset.download).textContent.trim() + "\n";
    const file = document.createElement("a");
    file.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    file.download = button.dataset.name;
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 10_000);
    tell("Downloaded. Keep the file where only you can read it.");
  });
}
