/** Light or dark colours: the system's setting, or the one chosen with a button, which is stored in the address. */
import { button } from './dom-elements.js';
import { readFragment, withName } from './fragment.js';

type ColourScheme = 'light' | 'dark';

const chosen = (): ColourScheme | null => {
  const name = readFragment(location.hash).get('theme');
  return name === 'light' || name === 'dark' ? name : null;
};

const preferred = window.matchMedia('(prefers-color-scheme: dark)');
const ofSystem = (): ColourScheme => (preferred.matches ? 'dark' : 'light');

/** Applies the colour scheme in the address; returns the button that changes it. */
export function themeButton(): HTMLElement {
  const toggle = button('', () => {
    const other: ColourScheme = (chosen() ?? ofSystem()) === 'dark' ? 'light' : 'dark';
    const fragment = withName(location.hash, 'theme', other === ofSystem() ? null : other);
    history.replaceState(null, '', `#${fragment}`);
    show();
  });
  const show = (): void => {
    const theme = chosen();
    if (theme === null) delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    toggle.textContent = (theme ?? ofSystem()) === 'dark' ? 'Light' : 'Dark';
    toggle.setAttribute('aria-label', `Show the page in ${toggle.textContent.toLowerCase()} colours`);
  };
  toggle.classList.add('theme');
  preferred.addEventListener('change', show);
  window.addEventListener('hashchange', show);
  show();
  return toggle;
}
