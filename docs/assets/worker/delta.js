/**
 * A snapshot of Python's memory as the difference from memory that has just been initialised: for each page of 256
 * bytes one byte that says what it is, then the bytes of the pages that are neither empty nor as they were.
 *
 * The snapshot is made under Node by site_hooks/snapshot_delta.mjs, and restored here in whatever engine the reader has.
 *
 * @typedef {object} Memory what Emscripten's module shows of it
 * @property {Uint8Array} HEAPU8
 * @property {Int32Array} HEAP32
 * @property {number} __PyRuntime
 * @property {number} __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET
 */
export const PAGE = 256, ZERO = 0, KEEP = 1, WRITE = 2;

/** @param {ArrayLike<number>} values @returns {number} FNV-1a over 32-bit values: against accidents, not against anyone */
export function checksum(values) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < values.length; i++) sum = Math.imul(sum ^ /** @type {number} */ (values[i]), 0x01000193);
  return sum >>> 0;
}

/** @param {string} text ASCII, as all answers are @returns {number} */
export const textChecksum = text => checksum(new TextEncoder().encode(text));

/**
 * @param {Uint8Array} kinds one for each page
 * @param {number} kind
 * @returns {Generator<[number, number]>} each run of pages of this kind, in bytes, from and to
 */
function* runs(kinds, kind) {
  for (let page = 0, end; page < kinds.length; page = end) {
    for (end = page + 1; end < kinds.length && kinds[end] === kinds[page]; end++);
    if (kinds[page] === kind) yield [page * PAGE, end * PAGE];
  }
}

/**
 * The checksum of all that a delta leaves as it is. Another engine that initialises memory in another way is found out here.
 * @param {Memory} memory
 * @param {Uint8Array} kinds
 */
export function keptChecksum({HEAP32}, kinds) {
  let sum = 0;
  for (const [from, to] of runs(kinds, KEEP)) sum = Math.imul(sum, 31) + checksum(HEAP32.subarray(from >> 2, to >> 2)) | 0;
  return sum >>> 0;
}

/**
 * Makes of freshly initialised memory the memory of the snapshot.
 * @param {Memory} memory
 * @param {Uint8Array} delta
 * @param {number} kept the checksum of what stays
 */
export function restore(memory, delta, kept) {
  const {HEAPU8, HEAP32} = memory;
  const kinds = delta.subarray(0, HEAPU8.length / PAGE);
  if (keptChecksum(memory, kinds) !== kept) throw new Error('memory is not initialised as it was where the snapshot was made');
  // CPython keeps the place of a function of this engine's own in its memory: it is not the one that the maker had.
  const slot = (memory.__PyRuntime + /** @type {number} */ (HEAP32[memory.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >> 2])) >> 2;
  const trampoline = HEAP32[slot];
  for (const [from, to] of runs(kinds, ZERO)) HEAPU8.fill(0, from, to);
  let read = kinds.length;
  for (const [from, to] of runs(kinds, WRITE)) {
    HEAPU8.set(delta.subarray(read, read + to - from), from);
    read += to - from;
  }
  if (read !== delta.length) throw new Error(`the snapshot has ${delta.length} bytes, and ${read} were expected`);
  HEAP32[slot] = /** @type {number} */ (trampoline);
}
