/** Commands with a button that copies them. */
import { copyButton, selectText } from './copy-button.js';
import { element } from './dom-elements.js';

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
