// The list of runs: sorted by its headings; what is ticked is compared or ranked.

const table = document.querySelector("[data-sortable]");

const valueOf = (row, column) => {
  const cell = row.children[column];
  return cell.dataset.value ?? cell.querySelector("[data-value]")?.dataset.value ?? "";
};

function sort(heading) {
  const column = [...heading.parentElement.children].indexOf(heading), numbers = heading.dataset.sort === "number";
  const down = heading.getAttribute("aria-sort") === (numbers ? "descending" : "ascending") ? !numbers : numbers;
  for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const sign = down ? -1 : 1, body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, value: valueOf(row, column) }));
  rows.sort((one, other) => {
    if (one.value === "" || other.value === "") return (one.value === "") - (other.value === "");
    return sign * (numbers ? one.value - other.value : one.value.localeCompare(other.value));
  });
  body.append(...rows.map(({ row }) => row));
}

for (const heading of table?.querySelectorAll("[data-sort]") ?? []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  button.textContent = heading.textContent;
  heading.replaceChildren(button);
  button.addEventListener("click", () => sort(heading));
}

const form = document.querySelector("[data-choose]");
function chosen() {
  const many = form.querySelectorAll("input[name=run]:checked").length;
  form.querySelector('[formaction="/compare"]').disabled = many < 1 || many > 2;
  form.querySelector('[formaction="/rank"]').disabled = many < 1;
}
form?.addEventListener("change", chosen);
if (form) chosen();
