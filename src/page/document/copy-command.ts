/** Commands with a button that copies them. */
import { button, element } from './dom-elements.js';

/** Selects a text, for the user to copy where the page may not. */
function selectText(text: Node): void {
  const range = document.createRange();
  range.selectNodeContents(text);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

export function command(text: string): HTMLElement {
  const shown = element('code', {}, text);
  const copy = button('Copy', () => {
    const show = (state: string): void => {
      copy.textContent = state;
    };
    // Pages opened from a file have no clipboard in some browsers.
    const clipboard = (navigator as Partial<Navigator>).clipboard;
    const done = clipboard === undefined ? Promise.reject(new Error('no clipboard')) : clipboard.writeText(text);
    done.then(
      () => show('Copied'),
      () => {
        selectText(shown);
        show('Marked');
      },
    );
  });
  copy.setAttribute('aria-label', `Copy the command ${text}`);
  return element('div', { class: 'command' }, shown, copy);
}
