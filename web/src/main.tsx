import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { client } from './api/client.ts';
import { App } from './app.tsx';
import './styles/base.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/policies.css';
import './styles/insight.css';
import './styles/settings.css';
import { applyTheme } from './ui/theme.tsx';

applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <Provider value={client}>
      <App />
    </Provider>
  </StrictMode>,
);
