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

/** drag: a step of a drag, more will follow; move: a new value; end: a drag ended or a box lost the focus, and the value is the same. */
export type Gesture = 'drag' | 'move' | 'end';

/** Sends Python a request and returns its answer, both as JSON text. */
export type Ask = (request: string) => Promise<string>;
