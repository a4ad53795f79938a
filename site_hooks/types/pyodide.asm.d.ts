// Pyodide's package has no types for its Emscripten half; only its factory is used, and only handed on.
import type {loadPyodide} from 'pyodide/pyodide.mjs';

type Options = NonNullable<Parameters<typeof loadPyodide>[0]>;
declare const createPyodideModule: NonNullable<Options['createPyodideModule']>;
export default createPyodideModule;
