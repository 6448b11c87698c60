/**
 * The root that an editor is put into. The content security policy allows no style elements, which CodeMirror would add to
 * the page; in a shadow root it uses constructed style sheets, which no policy needs to allow.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}
