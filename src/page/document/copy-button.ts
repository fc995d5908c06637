/** Buttons that copy a text to the clipboard. */
import { button, element } from './dom-elements.js';

/** ms until a button has its label again. */
const ANSWERED = 3000;

/** Selects a text, for the user to copy where the page may not. */
function selectText(text: Node): void {
  const range = document.createRange();
  range.selectNodeContents(text);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** The text after the button, selected: a second click removes it. */
function showSelected(text: string, copy: HTMLElement): void {
  const after = copy.nextElementSibling;
  if (after instanceof HTMLPreElement) {
    after.remove();
    return;
  }
  const shown = element('pre', { class: 'to-copy', tabindex: 0 }, text);
  copy.after(shown);
  selectText(shown);
}

/**
 * @param name what it copies, for screen readers
 * @param text asked for at each click
 * @param otherwise shows the text where the page may not copy: by default below the button, selected
 */
export function copyButton(
  label: string,
  name: string,
  text: () => string,
  otherwise: (text: string, copy: HTMLElement) => void = showSelected,
): HTMLElement {
  const copy = button(label, () => {
    const show = (state: string): void => {
      copy.textContent = state;
      setTimeout(() => (copy.textContent = label), ANSWERED);
    };
    const copied = text();
    // Pages opened from a file have no clipboard in some browsers.
    const clipboard = (navigator as Partial<Navigator>).clipboard;
    const done = clipboard === undefined ? Promise.reject(new Error('no clipboard')) : clipboard.writeText(copied);
    done.then(
      () => show('Copied'),
      () => {
        otherwise(copied, copy);
        show('Marked');
      },
    );
  });
  copy.setAttribute('aria-label', name);
  copy.classList.add('copy');
  return copy;
}

export function command(text: string): HTMLElement {
  const shown = element('code', {}, text);
  const copy = copyButton(
    'Copy',
    `Copy the command ${text}`,
    () => text,
    () => selectText(shown),
  );
  return element('div', { class: 'command' }, shown, copy);
}
