// The parts of a message that are not text: images, files and others.

import { element } from "./element.js";
import { bytes } from "./words.js";
import { name, visibleString } from "./visible_text.js";

const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/;

/** The parts as a list, or `null` if there is none. */
export function partList(parts) {
  if (!parts?.length) return null;
  return element(
    "ul",
    { class: "parts" },
    parts.map((part) => element("li", {}, partView(part))),
  );
}

function partView(part) {
  const facts = [part.kind, part.mime_type, part.bytes == null ? null : bytes(part.bytes)].filter(Boolean).join(", ");
  const caption = element(
    "figcaption",
    {},
    part.name ? name(part.name) : null,
    part.name ? " " : null,
    element("span", { class: "soft", text: visibleString(facts) }),
  );
  const figure = element("figure", { class: "part" });
  if (typeof part.data_url === "string" && IMAGE.test(part.data_url)) {
    const image = element("img", {
      alt: part.name ? `Image: ${visibleString(part.name)}` : "Image that the model reads",
      loading: "lazy",
    });
    image.src = part.data_url;
    figure.append(image);
  }
  figure.append(caption);
  return figure;
}
