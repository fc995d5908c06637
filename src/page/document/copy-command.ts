/** A command with a button that copies it. */
import { button, element } from './element.js';

/** Marks a text, for the user to copy it where the page may not. */
function mark(text: Node): void {
  const range = document.createRange();
  range.selectNodeContents(text);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

export function command(text: string): HTMLElement {
  const shown = element('code', {}, text);
  const copy = button('Copy', () => {
    const tell = (said: string): void => {
      copy.textContent = said;
    };
    // A page from a file may have no clipboard.
    const clipboard = (navigator as Partial<Navigator>).clipboard;
    const done = clipboard === undefined ? Promise.reject(new Error('no clipboard')) : clipboard.writeText(text);
    done.then(
      () => {
        tell('Copied');
      },
      () => {
        mark(shown);
        tell('Marked');
      },
    );
  });
  copy.setAttribute('aria-label', `Copy the command ${text}`);
  return element('div', { class: 'command' }, shown, copy);
}
