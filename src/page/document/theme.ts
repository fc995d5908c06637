/** Light or dark: as the system has it, or as the button says; the address remembers the latter. */
import { button } from './element.js';
import { readFragment, withName } from './fragment.js';

type ColourScheme = 'light' | 'dark';

const asked = (): ColourScheme | null => {
  const name = readFragment(location.hash).get('theme');
  return name === 'light' || name === 'dark' ? name : null;
};

const preferred = window.matchMedia('(prefers-color-scheme: dark)');
const systems = (): ColourScheme => (preferred.matches ? 'dark' : 'light');

/** Takes over what the address says, and gives back the button that changes it. */
export function themeButton(): HTMLElement {
  const toggle = button('', () => {
    const other: ColourScheme = (asked() ?? systems()) === 'dark' ? 'light' : 'dark';
    const fragment = withName(location.hash, 'theme', other === systems() ? null : other);
    history.replaceState(null, '', `#${fragment}`);
    show();
  });
  const show = (): void => {
    const theme = asked();
    if (theme === null) delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    toggle.textContent = (theme ?? systems()) === 'dark' ? 'Light' : 'Dark';
    toggle.setAttribute('aria-label', `Show the page in ${toggle.textContent.toLowerCase()} colours`);
  };
  toggle.classList.add('theme');
  preferred.addEventListener('change', show);
  window.addEventListener('hashchange', show);
  show();
  return toggle;
}
