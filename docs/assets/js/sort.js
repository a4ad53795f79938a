/** Tables of class kv-sortable: a click on a head sorts by its column, a second one the other way round. */

/** How each table was sorted last, by its place on the page: a rewritten table keeps its order. @type {Map<number, {column: number, down: boolean}>} */
const orders = new Map();

/** @param {Element | undefined} cell @returns {number | string} what a cell sorts by: the value of its first number, else its text */
function key(cell) {
  const value = cell?.querySelector('data')?.getAttribute('value');
  if (value === undefined || value === null) return (cell?.textContent ?? '').trim().toLowerCase();
  return value === '' ? Infinity : Number(value);
}

/** @param {HTMLTableElement} table @param {{column: number, down: boolean}} order */
function sort(table, { column, down }) {
  const body = table.tBodies[0];
  if (!body) return;
  const rows = [...body.rows].map(row => ({ row, by: key(row.cells[column]) }));
  rows.sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0) * (down ? -1 : 1));
  body.append(...rows.map(({ row }) => row));
  [...(table.tHead?.rows[0]?.cells ?? [])].forEach((head, index) => {
    if (index === column) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    else head.removeAttribute('aria-sort');
  });
}

/** Gives every sortable table its buttons; those that have them already are left alone. */
export function sortTables() {
  const tables = /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll('table.kv-sortable'));
  tables.forEach((table, place) => {
    if (table.dataset.sorts) return;
    table.dataset.sorts = 'yes';
    [...(table.tHead?.rows[0]?.cells ?? [])].forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'kv-sort';
      button.dataset.key = `sort-${place}-${column}`;
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const order = { column, down: head.getAttribute('aria-sort') === 'ascending' };
        orders.set(place, order);
        sort(table, order);
      });
    });
    const order = orders.get(place);
    if (order) sort(table, order);
  });
}
