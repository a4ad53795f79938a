/**
 * A snapshot of Python's memory, stored as its difference from freshly initialised memory. First comes one byte for each
 * block of 256 bytes: ZERO, all its bytes are 0; KEEP, it is as freshly initialised; WRITE, it is stored. Then come the stored blocks.
 *
 * site_hooks/snapshot_delta.mjs makes the snapshot under Node; it is restored here in the reader's browser.
 *
 * @typedef {object} Memory the part of Emscripten's module that is needed
 * @property {Uint8Array} HEAPU8
 * @property {Int32Array} HEAP32
 * @property {number} __PyRuntime
 * @property {number} __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET
 */
export const BLOCK = 256, ZERO = 0, KEEP = 1, WRITE = 2;

/** @param {ArrayLike<number>} values @returns {number} FNV-1a over 32-bit values: it finds accidental changes, not deliberate ones */
export function checksum(values) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < values.length; i++) sum = Math.imul(sum ^ /** @type {number} */ (values[i]), 0x01000193);
  return sum >>> 0;
}

/** @param {string} text ASCII, as all answers are @returns {number} */
export const textChecksum = text => checksum(new TextEncoder().encode(text));

/**
 * @param {Uint8Array} kinds the kind of each block
 * @param {number} kind
 * @returns {Generator<[number, number]>} first and end byte of each run of blocks of this kind
 */
function* runs(kinds, kind) {
  for (let block = 0, end; block < kinds.length; block = end) {
    for (end = block + 1; end < kinds.length && kinds[end] === kinds[block]; end++);
    if (kinds[block] === kind) yield [block * BLOCK, end * BLOCK];
  }
}

/**
 * The checksum of all blocks that the snapshot does not store. It tells if this browser initialises memory in another way than Node did.
 * @param {Memory} memory
 * @param {Uint8Array} kinds
 */
export function keptChecksum({HEAP32}, kinds) {
  let sum = 0;
  for (const [from, to] of runs(kinds, KEEP)) sum = Math.imul(sum, 31) + checksum(HEAP32.subarray(from >> 2, to >> 2)) | 0;
  return sum >>> 0;
}

/**
 * Turns freshly initialised memory into that of the snapshot.
 * @param {Memory} memory
 * @param {Uint8Array} delta
 * @param {number} kept the expected checksum of the blocks that are not stored
 */
export function restore(memory, delta, kept) {
  const {HEAPU8, HEAP32} = memory;
  const kinds = delta.subarray(0, HEAPU8.length / BLOCK);
  if (keptChecksum(memory, kinds) !== kept) throw new Error('this browser initialises memory otherwise than the snapshot expects');
  // Python's memory holds the index of a function that is created at the start and depends on the browser: keep this browser's.
  const slot = (memory.__PyRuntime + /** @type {number} */ (HEAP32[memory.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET >> 2])) >> 2;
  const trampoline = HEAP32[slot];
  for (const [from, to] of runs(kinds, ZERO)) HEAPU8.fill(0, from, to);
  let read = kinds.length;
  for (const [from, to] of runs(kinds, WRITE)) {
    HEAPU8.set(delta.subarray(read, read + to - from), from);
    read += to - from;
  }
  if (read !== delta.length) throw new Error(`the snapshot has ${delta.length} bytes instead of ${read}`);
  HEAP32[slot] = /** @type {number} */ (trampoline);
}
