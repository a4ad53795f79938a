/** Tables of class kv-sortable: a click on a column's head sorts by that column, a second click in reverse. */

/** The last order of each table, by its index on the page, so that a table that Python rewrites keeps it. @type {Map<number, {column: number, down: boolean}>} */
const orders = new Map();

/** @param {Element | undefined} cell @returns {number | string} the value of the cell's first number, else its text; cells are compared by it */
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

/** Give every sortable table its buttons, unless it has them already, and its last order. */
export function sortTables() {
  const tables = /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll('table.kv-sortable'));
  tables.forEach((table, index) => {
    if (table.dataset.sorts) return;
    table.dataset.sorts = 'yes';
    [...(table.tHead?.rows[0]?.cells ?? [])].forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'kv-sort';
      button.dataset.key = `sort-${index}-${column}`;
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const order = { column, down: head.getAttribute('aria-sort') === 'ascending' };
        orders.set(index, order);
        sort(table, order);
      });
    });
    const order = orders.get(index);
    if (order) sort(table, order);
  });
}
