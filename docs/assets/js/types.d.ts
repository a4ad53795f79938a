/** The parts of an answer of kvcore.page.update. */
export interface ControlState {
  value?: string | number;
  stops?: (string | number)[] | null;
  disabled?: boolean;
  note?: string;
  invalid?: boolean;
  text?: string;
}

export interface Answer {
  slots?: Record<string, string>;
  controls?: Record<string, ControlState>;
  announce?: string;
  problems?: string[];
  more?: unknown;
  fragment?: string | null;
  hold?: unknown;
}

/** What the page gives to sync.js. */
export interface Page {
  /** The values that the page was built with; a script or a browser may have set others since. */
  built: Map<string, string>;
  /** Returns the value of every named control. */
  read(): Map<string, string>;
  /** Returns the width of the figures that are shown. */
  view(): string;
  /** Returns the slots whose table is open. */
  opened(): string[];
  /** What the page shows as built, in Python's own form; each request sends back the newest `hold`. */
  hold: unknown;
  /** Called when there is something to ask and Python has not been started. */
  needed(): void;
  /** Called when a control has moved, by the reader or by a script. */
  moved(name: string): void;
  /** Writes an answer; controls in `newer` have moved since the request. */
  apply(answer: Answer, newer: Set<string>): void;
  /** Called with every answer but those to the steps of a drag. */
  settled(answer: Answer): void;
  failed(error: unknown): void;
}

/** drag: a step of a drag, more will follow; move: a new value; end: a drag ended or a box lost the focus, and the value is the same. */
export type Gesture = 'drag' | 'move' | 'end';

/** Sends Python a request and returns its answer, both as JSON text. */
export type Ask = (request: string) => Promise<string>;
