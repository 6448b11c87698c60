import { useState } from 'react';

const KEY = 'gatehouse.theme';
const CHOICES = ['system', 'light', 'dark'] as const;
type Theme = (typeof CHOICES)[number];

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === value) ?? 'system';
  } catch {
    // A browser may refuse its store; the choice then holds until the page is left.
    return 'system';
  }
}

export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', theme);
  window.dispatchEvent(new Event('themechange'));
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored);
  const choose = (next: Theme) => {
    setTheme(next);
    applyTheme(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // See above.
    }
  };
  return (
    <label className="field">
      <span>Theme</span>
      <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
