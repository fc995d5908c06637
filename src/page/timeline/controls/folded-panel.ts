/** A panel of a timeline as a line, until it is opened. Timelines of other pieces have it as it was left. */
import { element } from '../../document/dom-elements.js';

/** Names of the panels that are open. */
const opened = new Set<string>();

interface FoldedPanel {
  readonly place: HTMLElement;
  readonly details: HTMLDetailsElement;
  /** The line that opens it. */
  readonly summary: HTMLElement;
}

export function foldedPanel(name: string, kind: string, ...contents: readonly HTMLElement[]): FoldedPanel {
  const summary = element('summary', {}, name);
  const details = element('details', { open: opened.has(name) }, summary, ...contents);
  details.addEventListener('toggle', () => {
    if (details.open) opened.add(name);
    else opened.delete(name);
  });
  return { place: element('section', { class: kind, 'aria-label': name }, details), details, summary };
}
