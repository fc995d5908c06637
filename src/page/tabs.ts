/** Tabs of the page: a list of buttons, each with an area that is filled when it is first shown. */
import { replaceContents } from './charts/chart.js';
import { element, isText } from './document/dom-elements.js';
import { readFragment, withName } from './document/fragment.js';

export interface TabName {
  /** Id in the address, and in the ids of its elements. */
  readonly id: string;
  readonly title: string;
}

export interface TabOptions extends TabName {
  /** Creates the contents of its area when it is first shown. */
  readonly make: () => Node;
}

const idOf = (id: string): string => `tab-${id}`;

interface Tab extends Omit<TabOptions, 'title'> {
  readonly button: HTMLElement;
  readonly place: HTMLElement;
  isMade: boolean;
}

export class Tabs {
  readonly bar: HTMLElement;
  readonly #list: HTMLElement;
  readonly #all: readonly Tab[];
  /** The tabs in the bar; keys count only these. */
  #tabs: readonly Tab[] = [];
  #shown = 0;

  constructor(label: string, tabs: readonly TabOptions[]) {
    this.#all = tabs.map((tab) => this.#tab(tab));
    this.#list = element('div', { role: 'tablist', 'aria-label': label });
    this.bar = element('nav', { class: 'tabs', 'aria-label': label }, this.#list);
    this.offer(tabs);
    this.bar.addEventListener('keydown', (event) => this.#move(event));
    document.addEventListener('keydown', (event) => this.#byNumber(event));
    addEventListener('hashchange', () => this.#follow());
    addEventListener('beforeprint', () => this.#forPaper(true));
    addEventListener('afterprint', () => this.#forPaper(false));
  }

  /** Places of the tabs in the bar. */
  get places(): readonly HTMLElement[] {
    return this.#tabs.map(({ place }) => place);
  }

  /** Puts only these tabs in the bar, with these titles. */
  offer(names: readonly TabName[]): void {
    this.#tabs = names.flatMap(({ id, title }, i) => {
      const tab = this.#all.find((candidate) => candidate.id === id);
      if (tab === undefined) return [];
      tab.button.title = `${title} (${i + 1})`;
      tab.button.textContent = title;
      return [tab];
    });
    this.#list.replaceChildren(...this.#tabs.map(({ button }) => button));
  }

  /** Shows the tab in the address, or the first one, and creates its contents again. */
  restart(): void {
    for (const tab of this.#tabs) {
      tab.isMade = false;
      replaceContents(tab.place);
    }
    this.#show(this.#ofAddress());
  }

  show(id: string): void {
    const at = this.#tabs.findIndex((tab) => tab.id === id);
    if (at >= 0) this.#choose(at, false);
  }

  /** Index of the tab in the address; 0 when it names none. */
  #ofAddress(): number {
    const wanted = readFragment(location.hash).get('tab');
    return Math.max(
      0,
      this.#tabs.findIndex(({ id }) => id === wanted),
    );
  }

  /** Follows a change of the address, such as a step back; a named panel's tab is shown. */
  #follow(): void {
    const at = this.#ofAddress();
    if (at !== this.#shown && !readFragment(location.hash).has('panel')) this.#show(at);
  }

  #tab({ id, make }: TabOptions): Tab {
    const button = element('button', {
      ...{ type: 'button', role: 'tab', id: idOf(id), 'aria-controls': `${idOf(id)}-place` },
    });
    button.addEventListener('click', () => {
      const at = this.#tabs.findIndex((tab) => tab.id === id);
      this.#choose(at, at !== this.#shown);
    });
    const place = element('div', {
      ...{ role: 'tabpanel', id: `${idOf(id)}-place`, 'aria-labelledby': idOf(id), 'data-tab': id, hidden: true },
    });
    return { id, make, button, place, isMade: false };
  }

  /** Shows a tab, and stores it in the address. @param isStep whether a step back leads to the previous tab */
  #choose(at: number, isStep: boolean): void {
    const { id } = this.#tabs[at] ?? { id: null };
    const fragment = withName(withName(location.hash, 'panel', null), 'tab', at === 0 ? null : id);
    const address = fragment === '' ? `${location.pathname}${location.search}` : `#${fragment}`;
    if (isStep) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.#show(at);
    if (isStep) this.#scrollUp(at);
  }

  /** Scrolls to the beginning of the tab, because the page may still be scrolled as in the previous tab. */
  #scrollUp(at: number): void {
    const place = this.#tabs[at]?.place;
    if (place === undefined) return;
    const top = scrollY + place.getBoundingClientRect().top - this.bar.offsetHeight;
    if (scrollY > top) scrollTo(scrollX, top);
  }

  #show(at: number): void {
    this.#shown = at;
    this.#tabs.forEach((tab, i) => {
      const isShown = i === at;
      tab.button.setAttribute('aria-selected', String(isShown));
      tab.button.tabIndex = isShown ? 0 : -1;
      tab.place.hidden = !isShown;
      if (isShown) fill(tab);
    });
  }

  #focus(at: number): void {
    const tab = this.#tabs[(at + this.#tabs.length) % this.#tabs.length];
    tab?.button.click();
    tab?.button.focus();
  }

  /** Handles arrow keys, Home and End, as in any list of tabs. */
  #move(event: KeyboardEvent): void {
    const to: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: this.#shown - 1, ArrowRight: this.#shown + 1 },
      ...{ Home: 0, End: this.#tabs.length - 1 },
    };
    const at = to[event.key];
    if (at === undefined) return;
    event.preventDefault();
    this.#focus(at);
  }

  #byNumber(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return;
    if (isText(event)) return;
    const at = Number(event.key) - 1;
    if (at >= this.#tabs.length) return;
    event.preventDefault();
    this.#focus(at);
  }

  /** On paper, all tabs are printed one after the other. */
  #forPaper(onPaper: boolean): void {
    this.#tabs.forEach((tab, i) => {
      if (onPaper) fill(tab);
      tab.place.hidden = !onPaper && i !== this.#shown;
    });
  }
}

function fill(tab: Tab): void {
  if (tab.isMade) return;
  tab.isMade = true;
  replaceContents(tab.place, tab.make());
}
