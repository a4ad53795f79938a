/** The slot contract, as the page sees it. */
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
  fragment?: string;
  hold?: unknown;
}

/** What the reader is doing to a control: moving it in steps, of which more follow; moving it once; or ending, without moving it. */
export type Gesture = 'drag' | 'move' | 'end';

/** Asks Python one question, JSON text both ways. */
export type Ask = (request: string) => Promise<string>;
