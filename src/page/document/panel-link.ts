/** Links to panels of the page, which may be in another tab. */
import { element } from './dom-elements.js';
import { withName } from './fragment.js';

/** Shows a panel. A second call for the same panel shows it again. */
export function showPanel(id: string): void {
  const fragment = withName(location.hash, 'panel', id);
  if (`#${fragment}` === location.hash) dispatchEvent(new Event('hashchange'));
  else location.hash = fragment;
}

/** A plain link would drop the other parameters of the address's fragment. */
export function panelLink(id: string, ...contents: readonly (Node | string)[]): HTMLElement {
  const made = element('a', { href: `#panel=${id}` }, ...contents);
  made.addEventListener('click', (event) => {
    event.preventDefault();
    showPanel(id);
  });
  return made;
}
