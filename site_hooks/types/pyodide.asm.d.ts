// Pyodide's package has no types for pyodide.asm.mjs. We use only its factory, and only pass it to loadPyodide.
import type {loadPyodide} from 'pyodide/pyodide.mjs';

type Options = NonNullable<Parameters<typeof loadPyodide>[0]>;
declare const createPyodideModule: NonNullable<Options['createPyodideModule']>;
export default createPyodideModule;
