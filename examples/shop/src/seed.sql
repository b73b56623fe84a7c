INSERT INTO products (id, name, category, price_cents, stock, description) VALUES
    (1, 'Fjord 60', 'keyboards', 7900, 14, 'Compact mechanical keyboard with quiet switches'),
    (2, 'Fjord 100', 'keyboards', 10900, 9, 'Mechanical keyboard with a number pad'),
    (3, 'Travel Keys', 'keyboards', 3990, 31, 'Flat wireless keyboard that folds'),
    (4, 'Pebble', 'mice', 2490, 42, 'Small wireless mouse'),
    (5, 'Pebble Pro', 'mice', 5490, 17, 'Wireless mouse with seven buttons'),
    (6, 'Upright', 'mice', 4490, 0, 'Vertical mouse for a relaxed wrist'),
    (7, 'Window 24', 'monitors', 16900, 6, '24 inch monitor, Full HD'),
    (8, 'Window 27', 'monitors', 28900, 5, '27 inch monitor, 4K, USB-C'),
    (9, 'Window 34', 'monitors', 44900, 2, 'Curved 34 inch monitor'),
    (10, 'Hush', 'headphones', 12900, 12, 'Closed headphones that cancel noise'),
    (11, 'Hush Mini', 'headphones', 6900, 20, 'Wireless earbuds with a small case'),
    (12, 'Studio One', 'headphones', 9900, 8, 'Open headphones with a long cable'),
    (13, 'USB-C cable, 1 m', 'cables', 990, 120, 'Charges with 100 W'),
    (14, 'USB-C cable, 2 m', 'cables', 1290, 95, 'Charges with 100 W'),
    (15, 'HDMI cable', 'cables', 1490, 60, '4K at 120 Hz');

-- 72 orders, one every five days. The newest ones are open.
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 72),
customers (k, name, street, postcode, city) AS (VALUES
    (0, 'Ada Meyer', 'Am Hang 3', '50667', 'Cologne'), (1, 'Noor Bakker', 'Kade 12', '3011', 'Rotterdam'),
    (2, 'Luca Ferri', 'Via Roma 8', '10121', 'Turin'), (3, 'Ines Costa', 'Rua Nova 21', '4000', 'Porto'),
    (4, 'Jan Novak', 'Dlouha 7', '11000', 'Prague'), (5, 'Maja Lind', 'Storgatan 5', '21142', 'Malmo'),
    (6, 'Theo Blanc', 'Rue Haute 9', '69001', 'Lyon'))
INSERT INTO orders (id, status, placed_on, customer, email, street, postcode, city)
SELECT n, CASE WHEN n > 66 THEN 'open' WHEN n % 11 = 0 THEN 'cancelled' ELSE 'shipped' END,
    date('now', '-' || ((72 - n) * 5) || ' days'), name, lower(replace(name, ' ', '.')) || '@example.com',
    street, postcode, city
FROM numbers JOIN customers ON k = n % 7;

INSERT INTO order_lines (order_id, product_id, quantity, price_cents)
SELECT orders.id, products.id, 1 + (orders.id + products.id) % 3, price_cents
FROM orders JOIN products ON products.id IN (1 + orders.id * 7 % 15, 1 + (orders.id * 4 + 3) % 15);

INSERT INTO notes (order_id, author, written_on, text)
VALUES (71, 'clerk 0', date('now'), 'The customer asks for a delivery in the morning.');
